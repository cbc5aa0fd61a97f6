/**
 * What the user typed into a field that showed the label of its value. Text that is typed after the label replaces the
 * label, as if the label were selected. Text that replaces a selection is kept whole, even if it begins with the label.
 */
export const typedText = (text: string, label: string, hadSelection: boolean): string =>
  !hadSelection && text.startsWith(label) ? text.slice(label.length) : text
