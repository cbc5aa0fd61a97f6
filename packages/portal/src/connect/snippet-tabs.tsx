import { Button, Code, Note, Secret, Tabs, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { connectWords } from './connect-words.ts'
import { covered, type SnippetParts, snippetsOf, TOOL_ALIAS } from './snippets.ts'

type Way = 'cli' | 'environment' | 'curl' | 'sdk' | 'mqtt'

/** Lines for each way in. The token is covered until somebody asks to see it; copying copies it whole. */
export function SnippetTabs(parts: SnippetParts): ReactNode {
  const t = useWords(connectWords)
  const [way, setWay] = useState<Way>('cli')
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
            shown={isShown ? snippets.environment : covered(snippets.environment, token)}
            actions={toggle}
          />,
        ),
    },
    {
      key: 'curl',
      label: t('curl'),
      content: () => page(t('curlText'), <Code title={t('cliTitle')} text={snippets.curl} />),
    },
    {
      key: 'sdk',
      label: t('sdk'),
      content: () => page(t('sdkText'), <Code title={t('sdkTitle')} text={snippets.sdk} />),
    },
    {
      key: 'mqtt',
      label: t('mqtt'),
      content: () =>
        page(
          t('mqttText'),
          <>
            <Code title={t('cliTitle')} text={snippets.mqtt ?? ''} />
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
      selected={way}
      onSelect={setWay}
      tabs={tabs.filter(({ key }) => key !== 'mqtt' || snippets.mqtt !== undefined)}
    />
  )
}
