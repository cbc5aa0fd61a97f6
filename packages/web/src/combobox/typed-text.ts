/**
 * What the user typed into a field that showed the label of its value. Text that is typed after the label replaces the
 * label, as if the label were selected. Text that replaces a selection may begin with the label too, and is kept whole.
 */
export const typedText = (text: string, label: string, hadSelection: boolean): string =>
  !hadSelection && text.startsWith(label) ? text.slice(label.length) : text
