/** A cookie as the provider sets it. */
export interface StepCookie {
  name: string
  value: string
  path: string
  isRemoved: boolean
}

/** The maximum number of concurrent sign-ins in one browser, such as in several tabs. */
const MAX_STEPS = 6
const ENTRY = /^[\w-]{1,64}(:[\w-]{0,64}){2}$/
/**
 * A step is an interaction, with pages such as sign-in or consent, that is open in a browser. Its id is in the paths of
 * these pages, and in the path by which the browser returns from them.
 */
const STEP_IN_PATH = /\/(?:interaction|auth|device)\/([\w-]+)/

/**
 * The steps that are open in a browser, newest last. Each has the signatures of the two cookies that the provider sets.
 */
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
    /** The cookies of the step in this URL, in the provider's form. */
    forUrl(url: string): [name: string, value: string][] {
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
    /** Stores a cookie of a step, or removes it. Returns false for any other cookie. */
    store({ name, value, path, isRemoved }: StepCookie): boolean {
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
