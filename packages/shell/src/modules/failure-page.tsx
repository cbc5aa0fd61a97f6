import type { ModuleRecord } from '@storey/sdk'
import { Button, ButtonLink, Code, Icon, Page, Panel, useTitle, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useFailureTexts } from './failure-texts.ts'
import styles from './modules.module.css'
import { type ModuleFailure, needsNewPage } from './open-module.ts'
import { moduleWords } from './words.ts'

interface FailurePageProps {
  slug: string
  module: ModuleRecord | undefined
  failure: ModuleFailure
  onRetry(): void
}

/** Why a module is not here, and how to mend that. */
export function FailurePage({ slug, module, failure, onRetry }: FailurePageProps): ReactNode {
  const t = useWords(moduleWords)
  const { config } = useShell()
  const { title, text, mend, commands, message } = useFailureTexts(failure, {
    slug,
    module,
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
          <p>{mend}</p>
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
  const t = useWords(moduleWords)
  return (
    <div className="st-note st-tone-warn" role="note">
      <Icon name="warning" />
      <p>
        <strong>{t('safari')}.</strong> {t('safariText')}
      </p>
    </div>
  )
}

/** Every browser says Safari; the others also say what they are. */
const isSafari = () => /Safari\//.test(navigator.userAgent) && !/Chrom(e|ium)|CriOS|FxiOS|Edg/.test(navigator.userAgent)
