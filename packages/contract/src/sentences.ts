type PlaceholdersOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersOf<Rest>
  : never

/** A recognized sentence, with the values of its placeholders. */
export type ReadSentence<Forms> = {
  [Form in keyof Forms & string]: { form: Form; parts: Record<PlaceholdersOf<Forms[Form] & string>, string> }
}[keyof Forms & string]

export interface Sentences<Forms extends Record<string, string>> {
  format<Form extends keyof Forms & string>(
    form: Form,
    parts: Record<PlaceholdersOf<Forms[Form]>, string | number>,
  ): string
  /** Undefined if the sentence matches no template. */
  read(sentence: string): ReadSentence<Forms> | undefined
}

/**
 * Templates of sentences that the service writes in English, with placeholders such as `{name}`. `read` returns the
 * values of the placeholders, with which a page writes the sentence in another language. `patterns` restricts the text
 * of a placeholder; by default any text is allowed.
 */
export function defineSentences<const Forms extends Record<string, string>>(
  forms: Forms,
  patterns: Readonly<Record<string, string>>,
): Sentences<Forms> {
  const readers = Object.entries(forms).map(([form, text]) => {
    const source = text
      .replace(/[\\^$.*+?()[\]|/-]/g, '\\$&')
      .replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${patterns[name] ?? '.+'})`)
    return [form, new RegExp(`^${source}$`, 'su')] as const
  })
  return {
    format: (form, parts) =>
      forms[form]!.replace(/\{(\w+)\}/g, (_, name: string) => String((parts as Record<string, string | number>)[name])),
    read(sentence) {
      for (const [form, reader] of readers) {
        const found = reader.exec(sentence)
        if (found) return { form, parts: { ...found.groups } } as ReadSentence<Forms>
      }
      return undefined
    },
  }
}

/** The summaries of revisions. */
export const revisionSummaries = defineSentences(
  {
    seeded: 'The building as it was seeded',
    created: 'Created the {kind} {name}',
    changed: 'Changed {fields} of the {kind} {code}',
    deleted: 'Deleted the {kind} {code}',
    externalIdAdded: 'Added an external id of {system} to the {kind} {code}',
    externalIdRemoved: 'Removed an external id of {system} from the {kind} {code}',
    imported: 'Imported {rows} {list} of {system}: {created} created, {updated} updated',
    modelImported: 'Imported a building model ({schema})',
    modelReplaced: 'Replaced the building model ({schema})',
    changesetApplied: 'Applied changeset {title}',
    changesetReverted: 'Reverted changeset {title}',
  },
  {
    kind: 'storey|space|element|point',
    list: 'storeys|spaces|elements|points',
    fields: '\\w+(?:, \\w+)*',
    rows: '\\d+',
    created: '\\d+',
    updated: '\\d+',
  },
)

const DURATION = '\\d+ (?:d|h|min|s)'

/** The titles of faults. Names of quantities contain no colon, so `place` starts after the first colon. */
export const faultTitles = defineSentences(
  {
    alarm: 'Alarm: {place}',
    silent: 'No observation for {duration}: {place}',
    stuck: '{what} unchanged for {duration}: {place}',
    aboveFor: '{what} above {bound} for {duration}: {place}',
    belowFor: '{what} below {bound} for {duration}: {place}',
    above: '{what} above {bound}: {place}',
    below: '{what} below {bound}: {place}',
  },
  { duration: DURATION, what: '[^:]+?', bound: '-?[\\d.e+-]+(?: [^:]+?)??' },
)

/** The progress of creating a sandbox, or of migrating its database. */
export const progressSteps = defineSentences(
  {
    waiting: 'Waiting',
    creating: 'Creating the database',
    databaseInUse: 'Waiting for another session to leave the database',
    starting: 'Starting',
    generating: 'Generating the building',
    writing: 'Writing {what}: {n}',
    indexing: 'Indexing the graph',
    history: 'Writing the history of {day}',
    fingerprint: 'Computing the fingerprint',
    ready: 'Ready',
    migrationWaits: 'Waiting for the database migration',
    migrating: 'Migrating the database, step {n} of {total}',
  },
  { n: '[\\d,]+', total: '\\d+', what: 'storeys|rooms|equipment|points', day: '\\d{4}-\\d{2}-\\d{2}' },
)
