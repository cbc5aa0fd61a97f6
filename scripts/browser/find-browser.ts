import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const SYSTEM_PATHS = [
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

/** The Chromium of the system, else the one that Playwright downloaded earlier. */
export function findBrowser(): string | undefined {
  return [...SYSTEM_PATHS, chromium.executablePath()].find((path) => existsSync(path))
}
