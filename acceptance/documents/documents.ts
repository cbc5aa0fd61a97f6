/** The documents whose blocks are run. */
export const DOCUMENTS = [
  'README.md',
  'packages/cli/README.md',
  'docs/addresses.md',
  'docs/telemetry.md',
  'docs/events.md',
  'packages/sdk/README.md',
]
