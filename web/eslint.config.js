import js from "@eslint/js";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["node_modules/**"] },
  js.configs.recommended,
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [...ts.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-meaningless-void-operator": "off",
    },
  },
  {
    files: ["**/*.mjs", "**/*.js"],
    languageOptions: {
      globals: Object.fromEntries(
        [
          "console process Buffer URL TextEncoder TextDecoder performance setTimeout clearTimeout",
          "setImmediate fetch WebSocket WebAssembly document window globalThis addEventListener caches",
          "clients postMessage MessageChannel FILES location indexedDB CompressionStream XMLHttpRequest",
        ]
          .join(" ")
          .split(" ")
          .map((name) => [name, "readonly"]),
      ),
    },
  },
);
