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

/**
 * Colours the plan by another thing, in a frame of its own, and comes back when the picture stands: milliseconds of
 * script, and until then. Below zero nothing is changed, and only the waiting is done.
 */
export async function recolour(n: number): Promise<{ script: number; picture: number }> {
  const screen = globalThis as unknown as Screen
  const select = screen.document.querySelector('main select')!
  const choices = Array.from(select.options, ({ value }) => value).filter((value) => !value.startsWith('layer:'))
  const set = Object.getOwnPropertyDescriptor(screen.HTMLSelectElement.prototype, 'value')!.set!
  return await new Promise((resolve) =>
    screen.requestAnimationFrame(() => {
      const from = performance.now()
      if (n >= 0) {
        set.call(select, choices[n % choices.length])
        select.dispatchEvent(new Event('change', { bubbles: true }))
      }
      const script = performance.now() - from
      // A message that is sent from inside a frame comes after its picture.
      const { port1, port2 } = new MessageChannel()
      const done = () => {
        port1.close()
        resolve({ script, picture: performance.now() - from })
      }
      Object.assign(port1, { onmessage: done })
      port2.postMessage(0)
    }),
  )
}
