/**
 * How many times as much as usual a random test does: `QUEUE_TEST_SCALE`, 1 unless set. The fault suite's full runs are
 * the same tests at a larger scale.
 */
export const testScale = Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
