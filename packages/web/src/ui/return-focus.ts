/** Where somebody was, from the innermost element outwards. */
export type Place = readonly Element[]

/** Until what was done has shown on the page: a row that is removed, a button that can no longer be pressed. */
const WATCHED_MS = 10_000
const CAN_HAVE_FOCUS =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]'

export function placeOf(element: Element | null): Place {
  const place: Element[] = []
  for (let at = element; at && at !== document.body; at = at.parentElement) place.push(at)
  return place
}

/**
 * Gives the focus back to where it was before a dialog opened. Where that is gone, or goes in the next seconds, the next
 * thing around it takes its place: its row, its table, its section, the page. Ends as soon as somebody moves on.
 */
export function returnFocus(place: Place): void {
  let last: Element | undefined
  const settle = () => {
    const now = document.activeElement
    if (now && now !== document.body && now.isConnected && !now.matches(':disabled')) {
      if (last && now !== last) stop()
      last ??= now
      return
    }
    last = targetIn(place)
    if (last instanceof HTMLElement) last.focus({ preventScroll: true })
  }
  const watch = new MutationObserver(settle)
  const stop = () => {
    watch.disconnect()
    clearTimeout(timer)
    removeEventListener('pointerdown', stop, true)
    removeEventListener('keydown', stop, true)
  }
  const timer = setTimeout(stop, WATCHED_MS)
  addEventListener('pointerdown', stop, true)
  addEventListener('keydown', stop, true)
  watch.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
  const [opener] = place
  if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
  // The dialog itself is gone by then.
  requestAnimationFrame(settle)
}

function targetIn(place: Place): Element | undefined {
  const [opener] = place
  if (opener?.isConnected && opener.matches(CAN_HAVE_FOCUS)) return opener
  let around = place.find((element) => element !== opener && element.isConnected)?.closest(AROUND)
  while (around) {
    const target = around.matches('[tabindex]') ? around : around.querySelector(CAN_HAVE_FOCUS)
    if (target) return target
    around = around.parentElement?.closest(AROUND)
  }
  return document.getElementById('main') ?? undefined
}

const AROUND = 'tr, section, dialog, [tabindex]'
