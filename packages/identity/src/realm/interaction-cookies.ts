/** A cookie as the provider sets it. */
export interface ProviderCookie {
  name: string
  value: string
  path: string
  isRemoved: boolean
}

/** The maximum number of concurrent sign-ins in one browser, such as in several tabs. */
const MAX_INTERACTIONS = 6
const ENTRY = /^[\w-]{1,64}(:[\w-]{0,64}){2}$/
/** The uid of an interaction is in the paths of its pages, and in the path to which these pages redirect at the end. */
const UID_IN_PATH = /\/(?:interaction|auth|device)\/([\w-]+)/
/**
 * The suffixes of an interaction's two cookies. A sign-in can be in progress during an update of the service, so the
 * names must not change.
 */
const SUFFIXES = { interaction: 'step', resume: 'resume' } as const
const KINDS = ['interaction', 'resume'] as const

/**
 * The interactions (sign-ins in progress) of a browser, newest last. Each has the signatures of the two cookies that
 * the provider sets. `prefix` is that of the names of the provider's cookies; `listCookie` is the value of the cookie
 * that stores the list.
 */
export function createInteractionList(prefix: string, listCookie = '') {
  const interactions = new Map<string, Record<(typeof KINDS)[number], string>>()
  for (const entry of listCookie
    .split('/')
    .filter((part) => ENTRY.test(part))
    .slice(0, MAX_INTERACTIONS)) {
    const [uid = '', interaction = '', resume = ''] = entry.split(':')
    interactions.set(uid, { interaction, resume })
  }
  const nameOf = (kind: (typeof KINDS)[number]) => `${prefix}_${SUFFIXES[kind]}`
  let isChanged = false

  return {
    /** The cookies of the interaction in this URL, in the provider's form. */
    forUrl(url: string): [name: string, value: string][] {
      const [, uid = ''] = UID_IN_PATH.exec(url.split('?')[0]!) ?? []
      const found = interactions.get(uid)
      return KINDS.flatMap((kind): [string, string][] =>
        found?.[kind]
          ? [
              [nameOf(kind), uid],
              [`${nameOf(kind)}.sig`, found[kind]],
            ]
          : [],
      )
    },
    /**
     * Takes a cookie that the provider sets for an interaction: the value of a signature cookie (`.sig`) is stored. A
     * removed cookie removes the whole interaction. Returns false for a cookie that belongs to no interaction.
     */
    store({ name, value, path, isRemoved }: ProviderCookie): boolean {
      const kind = KINDS.find((one) => name === nameOf(one) || name === `${nameOf(one)}.sig`)
      if (kind === undefined) return false
      const [, uid = ''] = UID_IN_PATH.exec(path) ?? []
      isChanged = true
      if (isRemoved) {
        interactions.delete(uid)
      } else if (name.endsWith('.sig')) {
        const others = interactions.get(uid) ?? { interaction: '', resume: '' }
        interactions.delete(uid)
        interactions.set(uid, { ...others, [kind]: value })
      }
      return true
    },
    changed: () => isChanged,
    text: () =>
      [...interactions]
        .slice(-MAX_INTERACTIONS)
        .map(([uid, { interaction, resume }]) => `${uid}:${interaction}:${resume}`)
        .join('/'),
  }
}
