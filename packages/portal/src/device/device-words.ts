import { defineWords } from '@storey/web'

export const deviceWords = defineWords(
  {
    title: 'Connect a device',
    text: 'Enter the code that svc login shows. You sign in and confirm it on the next page.',
    code: 'Code',
    wrong: 'A code has eight letters, such as BCDF-GHJK',
    submit: 'Continue',
    none: 'Nobody can sign in here',
    noneText: 'This deployment has no identity provider. An operator sets one.',
    toPortal: 'To the portal',
  },
  {
    title: 'Подключить устройство',
    text: 'Введите код, который показывает svc login. Войти и подтвердить его нужно на следующей странице.',
    code: 'Код',
    wrong: 'В коде восемь букв, например BCDF-GHJK',
    submit: 'Продолжить',
    none: 'Войти здесь нельзя',
    noneText: 'У этой установки нет поставщика удостоверений. Его задаёт оператор.',
    toPortal: 'К порталу',
  },
)
