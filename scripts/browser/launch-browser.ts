import { type Browser, chromium } from 'playwright-core'
import { ensureBrowser } from './ensure-browser.ts'

/**
 * Chromium loads the suggestions of the address bar for each new window, and that takes it longer than a page of ours.
 * The option replaces the one of Playwright, whose features are therefore listed too.
 */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...[
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
  ],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'TcpPortRandomizationWin', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
]

/** Starts the browser of the tests, without Chromium's own sandbox, which containers often do not permit. */
export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const disabled = `--disable-features=${DISABLED_FEATURES.join(',')}`
  return chromium.launch({
    executablePath: ensureBrowser(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', disabled, ...args],
  })
}
