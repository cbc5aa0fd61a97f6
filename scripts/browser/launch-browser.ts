import { type Browser, chromium } from 'playwright-core'
import { ensureBrowser } from './ensure-browser.ts'

/**
 * The features that Chromium runs without. For each new window it would load the suggestions of the address bar, which
 * takes longer than loading a page of ours. The option replaces that of Playwright, so the list also has the features
 * that Playwright disables.
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
