/** Functions that run inside a page of the shell. They are serialized, so they use nothing from outside. */

interface Screen {
  requestAnimationFrame(callback: (at: number) => void): number
  document: { querySelector(selector: string): Options | null }
  HTMLSelectElement: { prototype: object }
}
interface Options {
  options: Iterable<{ value: string }>
  dispatchEvent(event: Event): boolean
}

/** Measures the time from one frame to the next, `count` times. */
export async function frameGaps(count: number): Promise<number[]> {
  const { requestAnimationFrame } = globalThis as unknown as Screen
  const gaps: number[] = []
  let last = 0
  for (let i = 0; i <= count; i++) {
    const at = await new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now())))
    if (i > 0) gaps.push(at - last)
    last = at
  }
  return gaps
}

/** Times in milliseconds. */
export interface Recolouring {
  /** Time in the page's own script. */
  script: number
  /** Time until the rooms are drawn in their new colours. */
  picture: number
  /** Time of the next frame, which draws the labels and the legend. */
  next: number
}

/** Colours the plan by another property and times the frames. With n below zero it changes nothing and only waits. */
export async function recolour(n: number): Promise<Recolouring> {
  const screen = globalThis as unknown as Screen
  const select = screen.document.querySelector('main select')!
  const choices = Array.from(select.options, ({ value }) => value).filter((value) => !value.startsWith('layer:'))
  const set = Object.getOwnPropertyDescriptor(screen.HTMLSelectElement.prototype, 'value')!.set!
  let script = 0
  /** The duration of the next frame. A message that is posted in the frame arrives after the frame is painted. */
  const frame = (act: () => void) =>
    new Promise<number>((resolve) =>
      screen.requestAnimationFrame(() => {
        const from = performance.now()
        const { port1, port2 } = new MessageChannel()
        const done = () => {
          port1.close()
          resolve(performance.now() - from)
        }
        Object.assign(port1, { onmessage: done })
        port2.postMessage(0)
        act()
        script ||= performance.now() - from
      }),
    )
  let after: Promise<number> | undefined
  const picture = await frame(() => {
    // Registered before the callbacks of the page, so it runs first in the next frame, and the measured time includes
    // the work of the page.
    after = frame(() => {})
    if (n < 0) return
    set.call(select, choices[n % choices.length])
    select.dispatchEvent(new Event('change', { bubbles: true }))
  })
  return { script, picture, next: await after! }
}
