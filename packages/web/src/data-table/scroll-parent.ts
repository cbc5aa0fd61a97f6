/** The nearest ancestor that scrolls, or the root element of the document if there is none. */
export function scrollParent(element: HTMLElement | null): HTMLElement {
  for (let at = element?.parentElement; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  }
  return document.documentElement
}
