import { Button, Code, Note, Secret, Tabs, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { connectTexts } from './connect-texts.ts'
import { masked, type SnippetParts, sdkInstall, snippetsOf, TOOL_ALIAS } from './snippets.ts'

type SnippetTab = 'cli' | 'environment' | 'curl' | 'sdk' | 'mqtt'

interface SnippetTabsProps extends SnippetParts {
  /** The version of the service. */
  version: string
}

/** Snippets for each way to connect. The token is masked until the user shows it, but copied text is never masked. */
export function SnippetTabs({ version, ...parts }: SnippetTabsProps): ReactNode {
  const t = useTexts(connectTexts)
  const [selected, setSelected] = useState<SnippetTab>('cli')
  const [isShown, setIsShown] = useState(false)
  const snippets = snippetsOf(parts)
  const { token, mqtt } = parts.connection
  const toggle = (
    <Button
      label={isShown ? t('hideToken') : t('showToken')}
      icon="eye"
      kind="quiet"
      small
      onClick={() => setIsShown(!isShown)}
    />
  )
  const page = (text: string, content: ReactNode) => (
    <div className="st-stack">
      <p className="st-quiet">{text}</p>
      {content}
    </div>
  )
  const tabs = [
    {
      key: 'cli',
      label: t('cli'),
      content: () =>
        page(
          t('cliText'),
          <>
            <p className="st-quiet">
              {t('cliTool')} <code>{TOOL_ALIAS}</code>
            </p>
            <Code title={t('cliTitle')} text={snippets.cli} />
          </>,
        ),
    },
    {
      key: 'environment',
      label: t('environment'),
      content: () =>
        page(
          t('environmentText'),
          <Code
            title={t('cliTitle')}
            text={snippets.environment}
            shown={isShown ? snippets.environment : masked(snippets.environment, token)}
            actions={toggle}
          />,
        ),
    },
    {
      key: 'curl',
      label: t('curl'),
      content: () =>
        page(
          t('curlText'),
          <>
            <Code title={t('cliTitle')} text={snippets.curl} />
            {snippets.path ? (
              <>
                <p>{t('pathText')}</p>
                <Code title={t('cliTitle')} text={snippets.path} />
              </>
            ) : null}
          </>,
        ),
    },
    {
      key: 'sdk',
      label: t('sdk'),
      content: () =>
        page(
          t('sdkText'),
          <>
            <p className="st-quiet">{t('sdkTool')}</p>
            <Code title={t('cliTitle')} text={sdkInstall(version)} />
            <Code title={t('sdkTitle')} text={snippets.sdk} />
          </>,
        ),
    },
    {
      key: 'mqtt',
      label: t('mqtt'),
      content: () =>
        page(
          t('mqttText'),
          <>
            <Code title={t('cliTitle')} text={snippets.mqtt ?? ''} />
            <p className="st-quiet">
              {t('mqttErrors')} <code>{`${mqtt?.topic}/errors`}</code>
            </p>
            {mqtt?.password ? (
              <div className="st-field">
                <span>{t('mqttPassword')}</span>
                <Secret text={mqtt.password} label={t('mqttPassword')} />
              </div>
            ) : (
              <Note>{t('mqttOwn')}</Note>
            )}
          </>,
        ),
    },
  ] as const
  return (
    <Tabs
      label={t('how')}
      selected={selected}
      onSelect={setSelected}
      tabs={tabs.filter(({ key }) => key !== 'mqtt' || snippets.mqtt !== undefined)}
    />
  )
}
