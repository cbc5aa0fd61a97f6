import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { whyNotStarting as whyProgramNotStarting } from '../install/node-that-starts.mjs'

const SYSTEM_PATHS = [
  // This one is first, because it opens no windows. To open a page, Chromium needs most of the time for the window.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/** The first browser that starts: Chromium or Chrome of the system, else the one that Playwright has downloaded. */
export function findBrowser(paths: readonly string[] = candidates()): string | undefined {
  return paths.find((path) => existsSync(path) && whyNotStarting(path) === undefined)
}

/** Why the first installed browser does not start. Slim systems lack libraries that Playwright's browser needs. */
export function whyUnusable(paths: readonly string[] = candidates()): string | undefined {
  const installed = paths.find((path) => existsSync(path))
  return installed === undefined ? undefined : whyNotStarting(installed)
}

const candidates = () => [...SYSTEM_PATHS, chromium.executablePath()]

/** The check is done on Linux only, because on other systems `--version` opens a browser window. */
const whyNotStarting = (path: string) =>
  process.platform === 'linux' ? (whyProgramNotStarting(path) as string | undefined) : undefined
