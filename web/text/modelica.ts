// The words of Modelica, for highlighting: the desk knows what they mean.
import { StreamLanguage, type StreamParser } from "@codemirror/language";

const words = (text: string) => new Set(text.split(" "));
const keyword = words(
  "algorithm and annotation assert block break class connect connector constant constrainedby der " +
    "discrete each else elseif elsewhen encapsulated end enumeration equation expandable extends " +
    "external final flow for function if import in initial inner input loop model not operator or " +
    "outer output package parameter partial protected public pure record redeclare replaceable " +
    "return stream then type when while within",
);
const builtin = words(
  "abs acos asin atan atan2 ceil cos cosh delay div edge exp floor homotopy integer log log10 max " +
    "min mod noEvent pre product reinit rem sample semiLinear sign sin sinh size smooth sqrt sum " +
    "tan tanh terminal terminate time fill zeros ones change",
);
const typeName = words("Real Integer Boolean String");
const atom = words("true false");

interface State {
  inComment: boolean;
  inString: boolean;
}

const parser: StreamParser<State> = {
  name: "modelica",
  startState: () => ({ inComment: false, inString: false }),
  token(stream, state) {
    if (state.inComment || stream.match("/*")) {
      state.inComment = !stream.match(/^.*?\*\//);
      if (state.inComment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (state.inString || stream.eat('"')) {
      stream.match(/^(?:[^"\\]|\\.)*\\?/); // to its end, or to that of the line
      state.inString = !stream.eat('"');
      return "string";
    }
    if (stream.match(/^'(?:[^'\\]|\\.)*'/)) return "variableName";
    if (stream.match(/^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/)) return "number";
    const word = stream.match(/^[A-Za-z_][A-Za-z0-9_]*/) as RegExpMatchArray | null;
    if (word) {
      const text = word[0];
      if (keyword.has(text)) return "keyword";
      if (typeName.has(text)) return "typeName";
      if (atom.has(text)) return "atom";
      if (builtin.has(text)) return "variableName.standard";
      return "variableName";
    }
    if (stream.match(/^(?::=|<=|>=|<>|==|[-+*/^=<>])/)) return "operator";
    stream.next();
    return "punctuation";
  },
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    indentOnInput: /^\s*end\b/,
  },
};

export const modelica = StreamLanguage.define(parser);
