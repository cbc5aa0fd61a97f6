import { defineTexts } from '@storey/web'

export const chartTexts = defineTexts(
  {
    keys: 'Keys: + and − zoom, arrows move, 0 shows the whole range.',
  },
  {
    keys: 'Клавиши: + и − меняют масштаб, стрелки двигают, 0 показывает весь период.',
  },
)
