type SlotsOf<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}` ? Slot | SlotsOf<Rest> : never

/** A sentence that was recognised, with what stands in its slots. */
export type ReadSentence<Forms> = {
  [Form in keyof Forms & string]: { form: Form; parts: Record<SlotsOf<Forms[Form] & string>, string> }
}[keyof Forms & string]

export interface Sentences<Forms extends Record<string, string>> {
  say<Form extends keyof Forms & string>(form: Form, parts: Record<SlotsOf<Forms[Form]>, string | number>): string
  /** Undefined: it is none of these. */
  read(sentence: string): ReadSentence<Forms> | undefined
}

/**
 * What the platform writes of its own accord, in English, with slots such as `{name}`. Whoever shows it in another
 * language takes the parts back out of it. `patterns` says what may stand in a slot; any text where it says nothing.
 */
export function defineSentences<const Forms extends Record<string, string>>(
  forms: Forms,
  patterns: Readonly<Record<string, string>>,
): Sentences<Forms> {
  const readers = Object.entries(forms).map(([form, text]) => {
    const source = text
      .replace(/[\\^$.*+?()[\]|/-]/g, '\\$&')
      .replace(/\{(\w+)\}/g, (_, slot: string) => `(?<${slot}>${patterns[slot] ?? '.+'})`)
    return [form, new RegExp(`^${source}$`, 'su')] as const
  })
  return {
    say: (form, parts) =>
      forms[form]!.replace(/\{(\w+)\}/g, (_, slot: string) => String((parts as Record<string, string | number>)[slot])),
    read(sentence) {
      for (const [form, reader] of readers) {
        const found = reader.exec(sentence)
        if (found) return { form, parts: { ...found.groups } } as ReadSentence<Forms>
      }
      return undefined
    },
  }
}

/** What is written of a revision. */
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

/** What is wrong, and where. Quantities have no colon in their names. */
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

/** How far the making of a sandbox is. */
export const progressSteps = defineSentences(
  {
    waiting: 'Waiting',
    starting: 'Starting to build',
    drawing: 'Drawing the building',
    writing: 'Writing {n} {what}',
    indexing: 'Indexing the graph',
    history: 'Writing the history of {day}',
    fingerprint: 'Taking its fingerprint',
    ready: 'Ready',
    migrationWaits: 'Waiting for a newer version of its database',
    migrating: 'Migrating its database, step {n} of {total}',
  },
  { n: '[\\d,]+', total: '\\d+', what: 'storeys|rooms|pieces of equipment|points', day: '\\d{4}-\\d{2}-\\d{2}' },
)
