/** A selector, and an idempotent change of the elements that match it. */
type Fix = readonly [selector: string, apply: (element: Element) => void]

/** Accessible names for parts to which Scalar gives none. */
export interface PartNames {
  copy: string
  choose: string
  code: string
}

/**
 * Fixes for what the accessibility checker axe finds in Scalar 1.72: parts without an accessible name, or whose
 * accessible name does not contain their visible text; a role that hides a button; areas that scroll but cannot be
 * focused; text fields with the role of a combobox; buttons that refer to an element that does not exist.
 */
function fixesFor({ copy, choose, code }: PartNames): readonly Fix[] {
  return [
    ['.show-more[aria-label]', nameByText],
    ['.scalar-code-copy:not([aria-label])', (button) => button.setAttribute('aria-label', copy)],
    ['button[aria-haspopup=menu]:not([aria-label])', (button) => nameIfEmpty(button, choose)],
    ['button[role=none]', (button) => button.removeAttribute('role')],
    ['.endpoints:not([tabindex])', (list) => list.setAttribute('tabindex', '0')],
    ['[contenteditable][role=combobox]', toTextField],
    ['.cm-content:not([aria-label])', (text) => text.setAttribute('aria-label', code)],
    ['.cm-scroller:not([tabindex="0"])', (area) => area.setAttribute('tabindex', '0')],
    ['button[aria-controls]', removeMissingReference],
  ]
}

function nameByText(button: Element): void {
  const [text, label] = [button.textContent.trim(), button.getAttribute('aria-label')!]
  if (!label.includes(text)) button.setAttribute('aria-label', `${text}: ${label}`)
}

function nameIfEmpty(button: Element, name: string): void {
  if (button.textContent.trim() === '') button.setAttribute('aria-label', name)
}

function removeMissingReference(button: Element): void {
  if (!document.getElementById(button.getAttribute('aria-controls')!)) button.removeAttribute('aria-controls')
}

function toTextField(field: Element): void {
  field.setAttribute('role', 'textbox')
  field.removeAttribute('aria-autocomplete')
}

/** Fixes the elements that are there, and those that are added later, for example while the visitor scrolls. */
export function improveAccessibility(root: HTMLElement, names: PartNames): void {
  const fixes = fixesFor(names)
  let isScheduled = false
  const improve = () => {
    isScheduled = false
    for (const [selector, apply] of fixes) for (const element of root.querySelectorAll(selector)) apply(element)
  }
  const schedule = () => {
    if (!isScheduled) requestAnimationFrame(improve)
    isScheduled = true
  }
  new MutationObserver(schedule).observe(root, { childList: true, subtree: true })
  improve()
}
