export const SANDBOX_LABEL = 'storey.dev/sandbox'
export const INSTALLATION_LABEL = 'storey.dev/installation'
export const ORGANIZATION_LABEL = 'storey.dev/organization'
export const COMPONENT_LABEL = 'app.kubernetes.io/component'

/** The values of `COMPONENT_LABEL` for the stack and for the seeding of a sandbox. */
export const STACK = 'stack'
export const SEED = 'seed'

/** The labels of every object that an installation creates. */
export const installationLabels = (installation: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'storey',
  'app.kubernetes.io/managed-by': 'storey',
  [INSTALLATION_LABEL]: installation,
})

export const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
