import { setImmediate as nextTurn } from 'node:timers/promises'
import { summarizeText } from '@queue/core'
import { type ExecutionContext, type HandledJob, handle } from '@queue/executor'
import model from 'wink-eng-lite-web-model'
import winkNLP from 'wink-nlp'
import type { HandlerModule } from '../handler-module.ts'

type SummaryJob = HandledJob<typeof summarizeText.payload>

const sentencesDefault = 3

/** Only sentence boundary detection is needed; the other parts of the model would double the time. */
const nlp = winkNLP(model, ['sbd'])

/** The importance of the sentence at `index`. */
interface RankedSentence {
  readonly index: number
  /** 0..1: how much its words have in common with the rest of the text. */
  readonly importance: number
}

/** Picks the most important sentences of a text, unchanged and in their order. The model is made for English. */
export function createSummarizeText(): HandlerModule {
  return { handler: handle(summarizeText, summarize), close: () => Promise.resolve() }
}

async function summarize({ payload }: SummaryJob, ctx: ExecutionContext) {
  ctx.progress(10, 'rank')
  const document = nlp.readDoc(breakLongWords(payload.text))
  // Both halves block the event loop for about a tenth of a second. Between them it serves other work.
  await nextTurn()
  ctx.signal.throwIfAborted()
  const sentences = document.sentences().out()
  const ranked = document.out(nlp.its.sentenceWiseImportance) as unknown as readonly RankedSentence[]
  const chosen = ranked
    .toSorted((a, b) => b.importance - a.importance || a.index - b.index)
    .slice(0, payload.max_sentences ?? sentencesDefault)
    .toSorted((a, b) => a.index - b.index)
  ctx.progress(100)
  return { summary: chosen.map(({ index }) => sentences[index]).join(' '), sentences: chosen.length }
}

/** No word of any language is as long. */
const wordCharsMax = 200

/**
 * Inserts a blank after every 200 characters of a run without blanks. The time to parse a text grows with the square of its
 * longest run: a run of 100 000 characters took nine seconds.
 */
function breakLongWords(text: string): string {
  return text.replaceAll(new RegExp(`\\S{${wordCharsMax}}(?=\\S)`, 'gu'), '$& ')
}
