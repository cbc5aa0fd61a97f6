/** The documents whose blocks are run. No test runs those of docs/telemetry.md yet. */
export const DOCUMENTS = [
  'README.md',
  'packages/cli/README.md',
  'docs/addresses.md',
  'docs/telemetry.md',
  'docs/events.md',
  'packages/sdk/README.md',
]
