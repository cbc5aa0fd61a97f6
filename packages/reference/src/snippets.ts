/** Languages in which Scalar writes no snippets on this page, to keep the menu short. */
const HIDDEN_LANGUAGES =
  'c csharp clojure dart fsharp go http java js julia kotlin node objc ocaml php powershell python r ruby rust swift'.split(
    ' ',
  )

/** Scalar writes the curl snippets. `prepare-document.ts` adds those in other languages to the document, as samples. */
export const SNIPPETS = {
  hiddenClients: {
    ...Object.fromEntries(HIDDEN_LANGUAGES.map((language) => [language, true])),
    shell: ['wget', 'httpie'],
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}
