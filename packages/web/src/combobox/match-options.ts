export interface ComboboxOption<Value extends string = string> {
  value: Value
  label: string
  /** Shown beside the label and searched with it, such as the code or the storey of a room. */
  detail?: string | undefined
}

/** The options that contain all words of the text; those whose label starts with the text come first. */
export function matchOptions<Option extends ComboboxOption>(
  options: readonly Option[],
  text: string,
): readonly Option[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return options
  const words = wanted.split(/\s+/)
  const [first, others]: [Option[], Option[]] = [[], []]
  for (const option of options) {
    const label = option.label.toLowerCase()
    const searched = option.detail === undefined ? label : `${label} ${option.detail.toLowerCase()}`
    if (!words.every((word) => searched.includes(word))) continue
    if (label.startsWith(wanted)) first.push(option)
    else others.push(option)
  }
  return [...first, ...others]
}
