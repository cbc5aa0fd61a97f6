import { defineWords } from '@storey/web'

export const chartWords = defineWords(
  {
    keys: 'With the chart in focus, + and − zoom, the arrows move, 0 shows the whole range.',
  },
  {
    keys: 'Когда график в фокусе: + и − приближают и отдаляют, стрелки двигают, 0 показывает весь период.',
  },
)
