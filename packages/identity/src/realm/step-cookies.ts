/** A cookie as the provider sets it. */
export interface StepCookie {
  name: string
  value: string
  path: string
  isRemoved: boolean
}

/** Concurrent sign-ins in tabs of one browser. */
const MAX_STEPS = 6
const ENTRY = /^[\w-]{1,64}(:[\w-]{0,64}){2}$/
/** Where a step is in an address: the pages of an interaction, and the way back from them. */
const STEP_IN_PATH = /\/(?:interaction|auth|device)\/([\w-]+)/

/** The steps that a browser is at: the signatures of the two cookies that the provider gives it for each, newest last. */
export function createStepList(own: string, text = '') {
  const steps = new Map<string, { step: string; resume: string }>()
  for (const entry of text
    .split('/')
    .filter((part) => ENTRY.test(part))
    .slice(0, MAX_STEPS)) {
    const [uid = '', step = '', resume = ''] = entry.split(':')
    steps.set(uid, { step, resume })
  }
  let isChanged = false

  return {
    /** The cookies of the step that an address names, as the provider wants them. */
    ofAddress(url: string): [name: string, value: string][] {
      const [, uid = ''] = STEP_IN_PATH.exec(url.split('?')[0]!) ?? []
      const found = steps.get(uid)
      return (['step', 'resume'] as const).flatMap((kind): [string, string][] =>
        found?.[kind]
          ? [
              [`${own}_${kind}`, uid],
              [`${own}_${kind}.sig`, found[kind]],
            ]
          : [],
      )
    },
    /** True when it is a cookie of a step, which is kept here. */
    take({ name, value, path, isRemoved }: StepCookie): boolean {
      const kind = (['step', 'resume'] as const).find((one) => name === `${own}_${one}` || name === `${own}_${one}.sig`)
      if (kind === undefined) return false
      const [, uid = ''] = STEP_IN_PATH.exec(path) ?? []
      isChanged = true
      if (isRemoved) {
        steps.delete(uid)
      } else if (name.endsWith('.sig')) {
        const others = steps.get(uid) ?? { step: '', resume: '' }
        steps.delete(uid)
        steps.set(uid, { ...others, [kind]: value })
      }
      return true
    },
    changed: () => isChanged,
    text: () =>
      [...steps]
        .slice(-MAX_STEPS)
        .map(([uid, { step, resume }]) => `${uid}:${step}:${resume}`)
        .join('/'),
  }
}
