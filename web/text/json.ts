// JSON, for highlighting: the desk knows what a document means.
import { StreamLanguage, type StreamParser } from "@codemirror/language";

const parser: StreamParser<null> = {
  name: "json",
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/))
      return stream.match(/^\s*:/, false) ? "propertyName" : "string";
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "atom";
    stream.next();
    return "punctuation";
  },
  languageData: { closeBrackets: { brackets: ["[", "{", '"'] }, indentOnInput: /^\s*[}\]]$/ },
};

export const json = StreamLanguage.define(parser);
