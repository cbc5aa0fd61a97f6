import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeFinding {
  id: string
  impact: string
  nodes: { target: string[]; failureSummary?: string }[]
}

interface Axe {
  run(options: { resultTypes: string[] }): Promise<{ violations: AxeFinding[] }>
}

interface Animated {
  document: {
    getAnimations(): {
      effect: { getComputedTiming(): { endTime: number } } | null
      finished: Promise<unknown>
    }[]
  }
}

/** Waits for the end of fade-ins, because half-transparent text has too little contrast. Ignores endless animations. */
async function animationsEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { document } = globalThis as unknown as Animated
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime ?? Number.POSITIVE_INFINITY))
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

/** The serious and critical violations that axe-core finds on the current page. */
export async function seriousFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  await animationsEnd(page)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    // Only violations are read, so axe need not describe the elements that pass.
    return (await axe.run({ resultTypes: ['violations'] })).violations
  })
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`,
    )
}
