/** The focused element and its ancestors, innermost first. */
export type FocusPath = readonly Element[]

/** How long the focused element is watched, because an update of the page may remove or disable it. */
const WATCH_MS = 10_000
const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]'

export function focusPathOf(element: Element | null): FocusPath {
  const path: Element[] = []
  for (let at = element; at && at !== document.body; at = at.parentElement) path.push(at)
  return path
}

/**
 * Returns the focus to the first element of `path`, such as the button that opened a dialog. If that element is removed
 * or disabled, now or within `WATCH_MS`, the focus goes to the nearest container (row, section, dialog, page) or to the
 * first control in that container. The next click or key press ends the watch.
 */
export function returnFocus(path: FocusPath): void {
  let last: Element | undefined
  const restore = () => {
    const now = document.activeElement
    if (now && now !== document.body && now.isConnected && !now.matches(':disabled')) {
      if (last && now !== last) stop()
      last ??= now
      return
    }
    last = targetIn(path)
    if (last instanceof HTMLElement) last.focus({ preventScroll: true })
  }
  const watch = new MutationObserver(restore)
  const stop = () => {
    watch.disconnect()
    clearTimeout(timer)
    removeEventListener('pointerdown', stop, true)
    removeEventListener('keydown', stop, true)
  }
  const timer = setTimeout(stop, WATCH_MS)
  addEventListener('pointerdown', stop, true)
  addEventListener('keydown', stop, true)
  watch.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
  const [opener] = path
  if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
  // The dialog is removed before the next frame.
  requestAnimationFrame(restore)
}

function targetIn(path: FocusPath): Element | undefined {
  const [opener] = path
  if (opener?.isConnected && opener.matches(FOCUSABLE)) return opener
  let container = path.find((element) => element !== opener && element.isConnected)?.closest(CONTAINERS)
  while (container) {
    const target = container.matches('[tabindex]') ? container : container.querySelector(FOCUSABLE)
    if (target) return target
    container = container.parentElement?.closest(CONTAINERS)
  }
  return document.getElementById('main') ?? undefined
}

const CONTAINERS = 'tr, section, dialog, [tabindex]'
