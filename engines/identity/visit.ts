import type { Browser, BrowserContext, Page } from 'playwright-core'

const STEP_LIMIT_MS = 60_000

export interface Visit {
  context: BrowserContext
  page: Page
  /** Errors in the log of the browser and violations of the content security policy. */
  errors: string[]
}

export async function visit(browser: Browser): Promise<Visit> {
  // The browser does not know the private authority of a provider with TLS.
  const options = { viewport: { width: 1280, height: 800 }, locale: 'en-GB', ignoreHTTPSErrors: true }
  const context = await browser.newContext(options)
  context.setDefaultTimeout(STEP_LIMIT_MS)
  const errors: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (thrown) => errors.push(String(thrown.error())))
  return { context, page: await context.newPage(), errors }
}
