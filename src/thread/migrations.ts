import checkpoints from "../../migrations/thread/0001_checkpoints.sql";
import runs from "../../migrations/thread/0002_runs.sql";
import safeResume from "../../migrations/thread/0003_safe_resume.sql";
import encryptedBlobs from "../../migrations/thread/0004_encrypted_blobs.sql";
import encodedFaults from "../../migrations/thread/0005_encoded_faults.sql";
import timers from "../../migrations/thread/0006_timers.sql";
import threadRecord from "../../migrations/thread/0007_thread_record.sql";
import runOptions from "../../migrations/thread/0008_run_options.sql";
import events from "../../migrations/thread/0009_events.sql";
import receivedEvents from "../../migrations/thread/0010_received_events.sql";
import answersByRun from "../../migrations/thread/0011_answers_by_run.sql";
import deliveries from "../../migrations/thread/0012_deliveries.sql";
import crons from "../../migrations/thread/0013_crons.sql";
import limits from "../../migrations/thread/0014_limits.sql";
import answersOnBehalf from "../../migrations/thread/0015_answers_on_behalf.sql";
import cronsOfGraphs from "../../migrations/thread/0016_crons_of_graphs.sql";
import timersInVain from "../../migrations/thread/0017_timers_in_vain.sql";
import receivedEventIndexes from "../../migrations/thread/0018_received_event_indexes.sql";
import boundedScans from "../../migrations/thread/0019_bounded_scans.sql";
import runPlaces from "../../migrations/thread/0020_run_places.sql";
import timeToLive from "../../migrations/thread/0021_time_to_live.sql";
import newestTables from "../../migrations/thread/newest.sql";
import type { Migration } from "../storage/migrations.ts";

/** The tables of a thread object, in the order in which they came. Append only. */
export const threadMigrations: readonly Migration[] = [
  { version: 1, name: "checkpoints", sql: checkpoints },
  { version: 2, name: "runs", sql: runs },
  { version: 3, name: "safe_resume", sql: safeResume },
  { version: 4, name: "encrypted_blobs", sql: encryptedBlobs },
  { version: 5, name: "encoded_faults", sql: encodedFaults },
  { version: 6, name: "timers", sql: timers },
  { version: 7, name: "thread_record", sql: threadRecord },
  { version: 8, name: "run_options", sql: runOptions },
  { version: 9, name: "events", sql: events },
  { version: 10, name: "received_events", sql: receivedEvents },
  { version: 11, name: "answers_by_run", sql: answersByRun },
  { version: 12, name: "deliveries", sql: deliveries },
  { version: 13, name: "crons", sql: crons },
  { version: 14, name: "limits", sql: limits },
  { version: 15, name: "answers_on_behalf", sql: answersOnBehalf },
  { version: 16, name: "crons_of_graphs", sql: cronsOfGraphs },
  { version: 17, name: "timers_in_vain", sql: timersInVain },
  { version: 18, name: "received_event_indexes", sql: receivedEventIndexes },
  { version: 19, name: "bounded_scans", sql: boundedScans },
  { version: 20, name: "run_places", sql: runPlaces },
  { version: 21, name: "time_to_live", sql: timeToLive },
];

/** What all of them make. */
export { newestTables };
