import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Common paths of Chromium and Chrome, and the path of the browser that Playwright installs. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  chromium.executablePath(),
]

export async function launchBrowser(): Promise<Browser> {
  const executablePath = PLACES.find((place) => existsSync(place))
  if (executablePath === undefined) throw new Error('These tests need Chromium or Chrome on this machine')
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
