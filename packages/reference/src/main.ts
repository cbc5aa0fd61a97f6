import type { PortalConfig, ShellConfig } from '@storey/contract'
import { currentLocale, loadConfig, openVisitor, translator, type Visitor } from '@storey/web/visitor'
import { authorizedFetch } from './authorize.ts'
import type { ApiDocument } from './document.ts'
import { createHeader } from './header.ts'
import { improveAccessibility } from './improve-accessibility.ts'
import { prepareDocument } from './prepare-document.ts'
import { loadScalar, OWN_SERVER_ONLY } from './scalar.ts'
import { SNIPPETS } from './snippets.ts'
import styles from './styles.css?inline'
import { referenceTexts } from './texts.ts'

const header = createHeader(document.title)
const main = document.createElement('main')

function showStyles(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  document.adoptedStyleSheets = [sheet]
}

async function loadDocument(): Promise<ApiDocument> {
  const response = await fetch('/api/v1/openapi.json')
  if (!response.ok) throw new Error(`the API document could not be loaded: status ${response.status}`)
  return prepareDocument((await response.json()) as ApiDocument)
}

async function findVisitor(): Promise<Visitor | undefined> {
  return await openVisitor(await loadConfig<PortalConfig | ShellConfig>())
}

async function show(): Promise<void> {
  // Without the session the page still shows the reference, so an unreachable provider is no error.
  const finding = findVisitor().catch(() => undefined)
  const [scalar, content, visitor] = await Promise.all([loadScalar(), loadDocument(), finding])
  document.getElementById('plain')?.remove()
  document.getElementById('plain-style')?.remove()
  document.body.append(main)
  scalar.createApiReference(main, {
    ...OWN_SERVER_ONLY,
    content,
    customFetch: authorizedFetch(visitor?.session, location.origin, content.servers),
    darkMode: isDark(),
    localization: { locale: currentLocale() },
    documentDownloadType: 'none',
    ...SNIPPETS,
    authentication: { preferredSecurityScheme: 'bearer' },
  })
  const t = translator(referenceTexts, currentLocale())
  improveAccessibility(document.body, { copy: t('copy'), choose: t('choose'), code: t('code') })
  header.showVisitor(visitor)
}

/** Whether the theme is dark: the theme that the visitor chose in the portal or the console, or else the system's. */
const isDark = (): boolean => {
  const chosen = localStorage.getItem('storey.theme')
  return chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
}

showStyles()
document.body.prepend(header.element)
await show().catch(() => {
  document.getElementById('plain')?.classList.add('shown')
  header.showFailure()
})
