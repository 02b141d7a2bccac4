// Asks the user for a line of text.
import { signal } from "@preact/signals";

interface Question {
  readonly text: string;
  readonly value: string;
  readonly answer: (value: string | undefined) => void;
}
export const question = signal<Question | undefined>(undefined);

export function ask(text: string, value: string): Promise<string | undefined> {
  question.value?.answer(undefined);
  return new Promise((resolve) => {
    question.value = {
      text,
      value,
      answer: (given) => {
        question.value = undefined;
        resolve(given?.trim() ? given.trim() : undefined);
      },
    };
  });
}
