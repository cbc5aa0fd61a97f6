import { defineTexts } from '@storey/web'

export const deviceTexts = defineTexts(
  {
    title: 'Connect a device',
    text: 'Enter the code that svc login shows. You sign in and confirm it on the next page.',
    code: 'Code',
    wrong: 'A code has eight letters or digits, such as BCDF-GHJK',
    submit: 'Continue',
    noProvider: 'Sign-in is not set up',
    noProviderText: 'This installation has no identity provider. An operator has to configure one.',
    toPortal: 'Go to the portal',
  },
  {
    title: 'Подключить устройство',
    text: 'Введите код, который показывает svc login. На следующей странице войдите и подтвердите его.',
    code: 'Код',
    wrong: 'В коде восемь букв или цифр, например BCDF-GHJK',
    submit: 'Продолжить',
    noProvider: 'Вход не настроен',
    noProviderText: 'В этой установке нет поставщика удостоверений. Его должен настроить оператор.',
    toPortal: 'Перейти на портал',
  },
)
