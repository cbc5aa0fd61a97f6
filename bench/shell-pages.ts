/** Functions that run inside a page of the shell: they are sent there as they stand, and use nothing from outside. */

interface Screen {
  requestAnimationFrame(callback: (at: number) => void): number
  document: { querySelector(selector: string): Options | null }
  HTMLSelectElement: { prototype: object }
}
interface Options {
  options: Iterable<{ value: string }>
  dispatchEvent(event: Event): boolean
}

/** The time between pictures, for so many of them. */
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

export interface Recolouring {
  /** The page's own code. */
  script: number
  /** Until the rooms stand in their colours. */
  picture: number
  /** The picture after it, with the words and the legend that belong to the colours. */
  next: number
}

/** Colours the plan by another thing, in a frame of its own. Below zero nothing is changed, and only the waiting is done. */
export async function recolour(n: number): Promise<Recolouring> {
  const screen = globalThis as unknown as Screen
  const select = screen.document.querySelector('main select')!
  const choices = Array.from(select.options, ({ value }) => value).filter((value) => !value.startsWith('layer:'))
  const set = Object.getOwnPropertyDescriptor(screen.HTMLSelectElement.prototype, 'value')!.set!
  let script = 0
  /** What a frame takes that begins with this: a message comes after its picture, and before what the page does next. */
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
    // Asked for before the page asks for it.
    after = frame(() => {})
    if (n < 0) return
    set.call(select, choices[n % choices.length])
    select.dispatchEvent(new Event('change', { bubbles: true }))
  })
  return { script, picture, next: await after! }
}
