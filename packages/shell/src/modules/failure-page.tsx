import type { ModuleRecord } from '@storey/sdk'
import { Button, ButtonLink, Code, Icon, Page, Panel, useTexts, useTitle } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useFailureTexts } from './failure-texts.ts'
import styles from './modules.module.css'
import { type ModuleFailure, needsNewPage } from './open-module.ts'
import { moduleTexts } from './texts.ts'

interface FailurePageProps {
  slug: string
  module: ModuleRecord | undefined
  failure: ModuleFailure
  onRetry(): void
}

/** Why a module cannot be shown, and how to fix it. */
export function FailurePage({ slug, module, failure, onRetry }: FailurePageProps): ReactNode {
  const t = useTexts(moduleTexts)
  const { config } = useShell()
  const { title, text, fix, commands, message } = useFailureTexts(failure, {
    slug,
    module,
    sandbox: config.sandboxSlug,
    platformVersion: config.version,
    page: location.origin,
  })
  useTitle(title, useBuildingData().building.name)
  const retry = needsNewPage(failure) ? (
    <Button kind="primary" icon="reset" label={t('reloadPage')} onClick={() => location.reload()} />
  ) : (
    <Button kind="primary" icon="reset" label={t('retry')} onClick={onRetry} />
  )
  return (
    <Page
      title={title}
      lead={text}
      back={{ to: '/sandbox', label: t('allModules') }}
      actions={
        <>
          {retry}
          {failure.kind === 'missing' ? <ButtonLink to="/sandbox" label={t('allModules')} /> : null}
        </>
      }
    >
      {isSafari() && failure.kind !== 'missing' ? <SafariNote /> : null}
      {message === undefined ? null : (
        <Panel title={t('found')}>
          <pre className={styles.message}>{message}</pre>
        </Panel>
      )}
      <Panel title={t('howTo')}>
        <div className="st-stack">
          <p>{fix}</p>
          <Code text={commands} title="shell" />
          {failure.kind === 'down' && !isSafari() ? (
            <p className="st-quiet">
              {t('safari')}. {t('safariText')}
            </p>
          ) : null}
        </div>
      </Panel>
    </Page>
  )
}

function SafariNote(): ReactNode {
  const t = useTexts(moduleTexts)
  return (
    <div className="st-note st-tone-warn" role="note">
      <Icon name="warning" />
      <p>
        <strong>{t('safari')}.</strong> {t('safariText')}
      </p>
    </div>
  )
}

/** The user agents of some other browsers contain `Safari` too, in addition to the names of those browsers. */
const isSafari = () => /Safari\//.test(navigator.userAgent) && !/Chrom(e|ium)|CriOS|FxiOS|Edg/.test(navigator.userAgent)
