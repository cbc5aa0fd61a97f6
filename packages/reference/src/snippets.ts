/** Languages that Scalar has and this page does not show: a long menu hides those that people use. */
const HIDDEN_LANGUAGES =
  'c csharp clojure dart fsharp go http java julia kotlin node objc ocaml php powershell r ruby rust swift'.split(' ')

/** Snippets in curl, JavaScript and Python. TypeScript comes from the samples of the document. */
export const SNIPPETS = {
  hiddenClients: {
    ...Object.fromEntries(HIDDEN_LANGUAGES.map((language) => [language, true])),
    shell: ['wget', 'httpie'],
    js: ['axios', 'ofetch', 'jquery', 'xhr'],
    python: ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}
