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

/** Colours the plan by one thing after another: milliseconds of script, and until the picture stands. */
export async function recolour(rounds: number): Promise<{ script: number; picture: number }[]> {
  const screen = globalThis as unknown as Screen
  const select = screen.document.querySelector('main select')!
  const choices = Array.from(select.options, ({ value }) => value).filter((value) => !value.startsWith('layer:'))
  const set = Object.getOwnPropertyDescriptor(screen.HTMLSelectElement.prototype, 'value')!.set!
  const found: { script: number; picture: number }[] = []
  for (let i = 0; i < rounds; i++) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    await new Promise<void>((resolve) =>
      screen.requestAnimationFrame(() => {
        const from = performance.now()
        set.call(select, choices[i % choices.length])
        select.dispatchEvent(new Event('change', { bubbles: true }))
        const script = performance.now() - from
        // A message that is sent from inside a frame comes after its picture.
        const { port1, port2 } = new MessageChannel()
        const done = () => {
          found.push({ script, picture: performance.now() - from })
          port1.close()
          resolve()
        }
        Object.assign(port1, { onmessage: done })
        port2.postMessage(0)
      }),
    )
  }
  return found
}
