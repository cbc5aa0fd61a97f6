import type { ModuleRecord } from '@storey/sdk'
import { useTexts } from '@storey/web'
import { originOf } from './allowed-address.ts'
import { installCommand } from './install-command.ts'
import type { ModuleFailure } from './open-module.ts'
import { moduleTexts } from './texts.ts'

interface Context {
  slug: string
  module: ModuleRecord | undefined
  /** The slug of this sandbox. */
  sandbox: string
  platformVersion: string
  /** The origin of this page. */
  page: string
}

interface FailureTexts {
  title: string
  text: string
  fix: string
  /** Commands for a terminal. */
  commands: string
  /** The message of an error in the module's code, or the target of a redirect. */
  message?: string
}

const SERVE = 'npm run serve:remote'
/** After `BUILD` no `SERVE` is needed, because a running server serves the new build immediately. */
const BUILD = 'npm run build'

/** Explains a failure to the developer of the module. */
export function useFailureTexts(failure: ModuleFailure, context: Context): FailureTexts {
  const t = useTexts(moduleTexts)
  const { slug, module, sandbox, platformVersion, page } = context
  const install = installCommand(sandbox)
  const doctor = `svc module doctor --sandbox=${sandbox}`
  const name = module?.name ?? slug
  const url = module?.remoteEntryUrl ?? ''
  const origin = originOf(url)
  const exposeName = module?.exposeName ?? ''
  switch (failure.kind) {
    case 'missing':
      return {
        title: t('missing', { slug }),
        text: t('missingText'),
        fix: t('missingFix'),
        commands: install,
      }
    case 'incompatible':
      return {
        title: t('incompatible', { name }),
        text: t('incompatibleText', { sdkVersion: module?.sdkVersion ?? '', platformVersion }),
        fix: t('incompatibleFix', { platformVersion }),
        commands: `${BUILD}\n${install}`,
      }
    case 'refused':
      return {
        title: t('refused'),
        text: t('refusedText', { url }),
        fix: t('refusedFix'),
        commands: `${SERVE}\n${install}`,
      }
    case 'down':
      return {
        title: t('down', { origin }),
        text: t('downText', { url }),
        fix: t('downFix'),
        commands: `${SERVE}\n${doctor}`,
      }
    case 'redirects':
      return {
        title: t('redirects', { origin }),
        text: t('redirectsText', { url }),
        fix: t('redirectsFix'),
        commands: `${SERVE}\n${doctor}`,
        ...(failure.to === undefined ? {} : { message: failure.to }),
      }
    case 'noCors':
      return {
        title: t('noCors', { origin }),
        text: t('noCorsText', { url, page }),
        fix: t('noCorsFix'),
        commands: `SVC_CONSOLE_URL=${page} ${SERVE}`,
      }
    case 'devServer':
      return {
        title: t('devServer'),
        text: t('devServerText', { origin }),
        fix: t('devServerFix'),
        commands: SERVE,
      }
    case 'noEntry':
      if (failure.status >= 500)
        return {
          title: t('badAnswer', { origin }),
          text: t('noEntryText', { url, status: String(failure.status) }),
          fix: t('badAnswerFix'),
          commands: `${SERVE}\n${doctor}`,
        }
      return {
        title: t('noEntry'),
        text: t('noEntryText', { url, status: String(failure.status) }),
        fix: t('noEntryFix'),
        commands: `${BUILD}\n${doctor}`,
      }
    case 'notJavaScript':
      return {
        title: t('notJavaScript'),
        text: t('notJavaScriptText', { url, type: failure.contentType || '?' }),
        fix: t('notJavaScriptFix'),
        commands: `${SERVE}\n${doctor}`,
      }
    case 'broken':
      return {
        title: t('broken'),
        text: t('brokenText', { url }),
        fix: t('brokenFix'),
        commands: SERVE,
        message: failure.message,
      }
    case 'noContainer':
      return {
        title: t('noContainer'),
        text: t('noContainerText', { url }),
        fix: t('noContainerFix'),
        commands: SERVE,
      }
    case 'notExposed':
      return {
        title: t('notExposed', { exposeName }),
        text: t('notExposedText', { url, exposeName }),
        fix: t('notExposedFix'),
        commands: SERVE,
      }
    case 'noComponent':
      return {
        title: t('noComponent', { exposeName }),
        text: t('noComponentText', { exposeName }),
        fix: t('noComponentFix'),
        commands: SERVE,
      }
    case 'throwsLoading':
      return {
        title: t('throwsLoading', { name }),
        text: t('throwsLoadingText'),
        fix: t('throwsFix'),
        commands: BUILD,
        message: failure.message,
      }
    case 'throwsRendering':
      return {
        title: t('throwsRendering', { name }),
        text: t('throwsRenderingText'),
        fix: t('throwsFix'),
        commands: BUILD,
        message: failure.message,
      }
  }
}
