import { PlatformProvider } from '@storey/sdk/module'
import { createRoot } from 'react-dom/client'
import Shell from './Shell.tsx'
import { samplePlatform } from './sample.ts'

const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
const locale = navigator.language.startsWith('ru') ? 'ru' : 'en'
const { platform, report, counters } = samplePlatform({ theme, locale })
document.documentElement.style.colorScheme = theme

setInterval(() => {
  for (const [name, , , capacity] of counters) report(name, String(Math.floor(Math.random() * (capacity + 1))))
}, 2000)

createRoot(document.getElementById('root')!).render(
  <PlatformProvider value={platform}>
    <Shell />
  </PlatformProvider>,
)
