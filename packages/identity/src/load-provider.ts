/**
 * Loads the provider without its warning about Node versions that are not LTS, which operators cannot act on.
 */

const { warn } = console
console.warn = (...args: unknown[]) => {
  if (!String(args[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...args)
}
try {
  await import('oidc-provider')
} finally {
  console.warn = warn
}
