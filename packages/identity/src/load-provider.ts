/**
 * Loads the provider without its warning about Node versions that are not LTS, which operators cannot act on.
 */
const { warn } = console
console.warn = (...said: unknown[]) => {
  if (!String(said[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...said)
}
try {
  await import('oidc-provider')
} finally {
  console.warn = warn
}
