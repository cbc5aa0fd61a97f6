/** Languages that Scalar has and this page does not show: a long menu hides those that people use. */
const HIDDEN_LANGUAGES =
  'c csharp clojure dart fsharp go http java js julia kotlin node objc ocaml php powershell python r ruby rust swift'.split(
    ' ',
  )

/** Snippets in curl. The others come from the samples of the document, whose address every program can resolve. */
export const SNIPPETS = {
  hiddenClients: {
    ...Object.fromEntries(HIDDEN_LANGUAGES.map((language) => [language, true])),
    shell: ['wget', 'httpie'],
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}
