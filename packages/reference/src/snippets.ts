/** Languages in which Scalar writes no snippets on this page, to keep the menu short. */
const HIDDEN_LANGUAGES =
  'c csharp clojure dart fsharp go http java js julia kotlin node objc ocaml php powershell python r ruby rust swift'.split(
    ' ',
  )

/** Scalar writes the snippets in curl. Those in other languages are samples of the document (`prepare-document.ts`). */
export const SNIPPETS = {
  hiddenClients: {
    ...Object.fromEntries(HIDDEN_LANGUAGES.map((language) => [language, true])),
    shell: ['wget', 'httpie'],
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}
