/** A change of elements that a selector finds. It is applied once, when they appear. */
type Fix = readonly [selector: string, apply: (element: Element) => void]

/**
 * What axe finds in Scalar 1.72: buttons without a name or with one that leaves out their text, a role that hides a
 * button, lists that scroll but cannot be focused, and text fields that claim to be comboboxes.
 */
function fixesFor(copy: string, choose: string): readonly Fix[] {
  return [
    ['.show-more[aria-label]', nameByText],
    ['.scalar-code-copy:not([aria-label])', (button) => button.setAttribute('aria-label', copy)],
    ['button[aria-haspopup=menu]:not([aria-label])', (button) => nameIfEmpty(button, choose)],
    ['button[role=none]', (button) => button.removeAttribute('role')],
    ['.endpoints:not([tabindex])', (list) => list.setAttribute('tabindex', '0')],
    ['[contenteditable][role=combobox]', (field) => toTextField(field)],
  ]
}

function nameByText(button: Element): void {
  const [text, label] = [button.textContent.trim(), button.getAttribute('aria-label')!]
  if (!label.includes(text)) button.setAttribute('aria-label', `${text}: ${label}`)
}

function nameIfEmpty(button: Element, name: string): void {
  if (button.textContent.trim() === '') button.setAttribute('aria-label', name)
}

function toTextField(field: Element): void {
  field.setAttribute('role', 'textbox')
  field.removeAttribute('aria-autocomplete')
}

/** Fixes elements as they come and go while the reader scrolls. */
export function improveAccess(root: HTMLElement, { copy, choose }: { copy: string; choose: string }): void {
  const fixes = fixesFor(copy, choose)
  const improve = () => {
    for (const [selector, apply] of fixes) for (const element of root.querySelectorAll(selector)) apply(element)
  }
  new MutationObserver(improve).observe(root, { childList: true, subtree: true })
  improve()
}
