// Train: start trainings, watch their curves, pause, resume and stop them.

import { showRun } from "../train/run.js";
import { showTrainings } from "../train/trainings.js";

export async function show(page) {
  await (page.rest.length ? showRun(page, page.rest.join("/")) : showTrainings(page));
}
