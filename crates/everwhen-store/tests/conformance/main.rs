//! What every store has to do, once for all of them: each case runs on each backend, under the name
//! `backend::family::case`.
//!
//! The first families ask for rows directly, the others through the verbs of the engine. Whatever
//! is not pinned by hand is compared with the oracle store of the testkit.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../postgres/schemas.rs"]
mod schemas;

mod apart;
mod arrival;
mod bed;
mod chapters;
mod clock_steps;
mod contexts;
mod conversations;
mod crash;
mod density;
mod differential;
mod distill;
mod dump;
mod entries;
mod exchanges;
mod exports;
mod facts;
mod faults;
mod foreign_chapters;
mod forgetting;
mod forgotten_lines;
mod graph;
mod half_written;
mod histories;
mod imports;
mod isolation;
mod jobs;
mod keys;
mod late;
mod ledger;
mod models;
mod naming;
mod neighbours;
mod outages;
mod outside;
mod paging;
mod past;
mod periods;
mod proofs;
mod receipts;
mod recollections;
mod removal;
mod replays;
mod rows;
mod rules;
mod script;
mod seeds;
mod segments;
mod talk;
mod tombstones;
mod vaults;

/// One test for each case on each backend.
macro_rules! suite {
    ($($family:ident { $($case:ident),* $(,)? })*) => {
        mod plain {
            $(mod $family { $(#[test] fn $case() { crate::$family::$case(crate::bed::plain) })* })*
        }

        mod sqlite {
            $(mod $family { $(#[test] fn $case() { crate::$family::$case(crate::bed::sqlite) })* })*
        }

        mod postgres {
            $(mod $family { $(#[test] fn $case() { crate::$family::$case(crate::bed::postgres) })* })*
        }
    };
}

suite! {
    exports {
        every_history_comes_back_the_same,
        everything_an_entry_has_comes_back,
        what_was_forgotten_of_a_chat_is_recognised_where_it_is_restored,
        every_kind_of_time_comes_back,
        what_is_no_export_is_refused_and_leaves_nothing,
    }
    seeds {
        b63_tags_change_in_place_and_recall_follows,
        b63_tags_of_what_was_corrected_stay,
        a_correction_keeps_its_place_among_entries_of_one_time,
        b63_a_context_version_is_deleted_and_its_number_not_given_again,
        d8_the_users_farewell_stored_after_the_end_belongs_to_what_it_ends,
        d8_what_is_no_farewell_opens_a_conversation,
        d45_past_conversations_are_looked_back_at_on_request,
        d45_with_a_question_every_end_is_looked_back_at,
    }
    outside {
        a_lock_has_one_holder_until_its_lease_is_over,
        a_workflow_is_claimed_once_and_keeps_its_progress,
        what_workflows_have_yet_to_do_is_forgotten_with_what_was_said,
        what_a_workflow_made_of_what_is_forgotten_meanwhile_is_refused,
    }
    vaults {
        a_vault_is_found_by_id_and_by_name,
        a_vault_is_replaced_whole,
        vaults_are_listed_by_name,
        a_memory_is_found_by_id_and_by_name,
        a_memory_is_replaced_whole,
        memories_are_listed_by_name,
        what_was_written_after_a_time_is_found,
        chats_of_a_person_are_listed_the_last_active_first,
    }
    entries {
        an_entry_comes_back_as_it_was_added,
        times_are_half_open,
        stored_times_are_half_open,
        which_tells_what_is_in_force,
        roles_tags_and_conversations_narrow_the_list,
        equal_times_stand_in_order_of_arrival,
        every_query_answers_as_the_oracle_does,
        pages_stay_stable_while_entries_come_in,
        moved_entries_carry_the_name_of_their_new_home,
        marks_on_what_is_not_there_are_refused,
        arrivals_come_in_sequence_whatever_became_of_them,
        counts_tell_how_much_there_is_on_either_clock,
    }
    neighbours {
        the_nearest_on_either_side,
        replies_open_nothing,
        only_entries_placed_by_time_and_on_no_branch,
        equal_times_count_in_order_of_arrival,
    }
    conversations {
        a_conversation_comes_back_as_it_was_put,
        a_conversation_is_replaced_whole,
        every_query_answers_as_the_oracle_does,
        a_list_tells_ended_archived_and_restored_apart,
        pages_reach_every_conversation_once,
        a_merged_conversation_answers_as_the_other,
        a_merge_may_come_before_its_target_is_put,
        branches_are_counted_oldest_first,
        endings_are_found_in_a_half_open_stretch,
    }
    contexts {
        a_version_is_found_by_number_and_by_time,
        two_versions_of_one_moment_are_told_apart,
        versions_are_listed_newest_first,
        versions_go_by_who_wrote_them,
        a_document_grows_out_of_what_is_said,
        what_an_agent_wrote_stands_until_somebody_asks,
        forgetting_takes_what_was_written_along,
        a_model_describes_and_code_keeps_the_facts,
    }
    receipts {
        every_kind_comes_back_as_it_was_kept,
        keys_of_vaults_and_of_the_store_are_apart,
        what_is_forgotten_leaves_its_receipt_blank,
    }
    jobs {
        a_job_comes_back_as_it_was_put,
        a_conversation_has_one_job_of_a_kind,
        the_job_due_first_comes_first,
        a_lease_hides_a_job_until_it_runs_out,
        jobs_are_listed_for_one_vault_or_for_all,
    }
    keys {
        a_key_comes_back_as_it_was_added,
        the_last_use_of_a_key_moves_forward_only,
        a_removed_key_is_gone,
    }
    segments {
        a_segment_comes_back_and_is_replaced,
        segments_go_with_any_entry_that_they_cover,
        segments_go_with_their_memory_and_vault,
        a_kept_index_answers_as_a_new_one,
        what_is_forgotten_is_in_no_segment,
        keeping_an_index_ends_though_the_chat_goes_on,
    }
    periods {
        a_list_has_what_reaches_into_its_time,
        pages_go_from_periods_to_instants_and_back,
        recall_finds_a_day_and_a_month_by_any_time_within,
    }
    recollections {
        what_is_at_hand_is_told_as_the_store_has_it,
        what_is_forgotten_is_told_no_more,
        what_is_at_hand_costs_no_visit,
        what_others_forget_leaves_it_at_hand,
        all_memories_are_recalled_within_the_bytes_for_indexes,
        a_conversation_that_is_left_out_hides_no_other,
        fewer_answers_are_the_first_of_more,
        a_question_to_many_small_memories_keeps_to_the_budget,
    }
    models {
        usage_adds_up_by_day_model_and_purpose,
        a_reply_comes_back_as_it_was_kept_until_it_is_dropped,
        activities_follow_their_conversation,
        a_vault_takes_its_models_rows_along,
        known_answers_cost_nothing_and_spending_ends,
        an_answer_of_no_use_is_paid_for_and_not_kept,
        forgetting_anything_forgets_the_answers,
        without_a_model_asking_says_what_to_do,
        a_live_conversation_tells_how_much_of_it_was_working,
    }
    removal {
        a_conversation_goes_with_its_jobs_and_other_names,
        a_memory_goes_with_all_in_it,
        a_vault_goes_with_all_in_it,
        a_failing_write_leaves_nothing,
    }
    isolation {
        a_wrong_place_finds_nothing_of_another,
        lists_and_neighbours_stay_in_their_memory,
        a_wrong_place_changes_nothing,
    }
    ledger {
        lines_come_back_in_their_order,
        a_line_is_replaced_whole,
        ledgers_stay_in_their_memory,
        lines_are_found_by_their_entries,
        a_head_is_replaced_whole,
        promised_times_are_kept_and_taken,
        forgetting_leaves_the_line_and_removal_takes_it,
    }
    proofs {
        holders_of_a_proof_come_newest_first,
        the_last_request_of_a_memory_is_found,
        additions_are_kept_until_they_are_dropped,
        text_that_a_client_sent_proves_nothing,
        a_proof_holds_for_one_person_and_a_weak_one_for_one_program,
        the_chat_that_goes_on_at_its_end_is_meant,
        the_newest_of_many_equal_chats_is_found,
        tool_calls_do_not_break_the_chain,
        a_retry_is_the_same_request_before_its_reply_was_whole,
        what_was_added_comes_back_until_something_is_forgotten,
    }
    arrival {
        whatever_the_order,
        whatever_the_order_around_explicit_ends,
        whatever_the_order_around_two_explicit_ends,
        courses_that_once_went_wrong,
    }
    rules {
        the_farewell_belongs_to_the_conversation_it_ends,
        a_memory_may_have_a_lifecycle_of_its_own,
        two_ends_at_once_are_refused,
        ending_one_conversation_leaves_the_next_alone,
        an_end_belongs_to_what_a_late_word_opened_before_it,
        the_timer_closes_at_last_activity_plus_timeout,
        a_conversation_that_goes_on_leaves_the_archive,
        surplus_conversations_are_archived_and_restored,
        surplus_conversations_are_deleted_if_the_vault_says_so,
        surplus_conversations_leave_no_vector_behind,
        a_question_waits_for_its_answer,
        a_question_grows_stale,
        a_fork_keeps_what_it_puts_aside,
        a_correction_takes_the_place_of_what_it_corrects,
        a_corrected_entry_still_holds_its_conversation_together,
        a_forgotten_entry_no_longer_holds_its_conversation_together,
        the_ends_of_the_calendar_are_no_trap,
        nul_characters_are_refused_wherever_they_stand,
        times_are_kept_to_the_microsecond,
        a_conversation_of_their_own_goes_on_after_its_end,
    }
    replays {
        the_same_write_again_gets_the_same_receipt,
        a_key_stands_for_one_write,
        a_refused_write_leaves_its_key_free,
        every_verb_replays,
        what_was_forgotten_does_not_come_back,
        vaults_do_not_share_keys,
    }
    imports {
        an_import_keeps_its_end_its_words_and_its_branches,
        the_sources_words_stand_until_the_entries_change,
        what_the_source_left_open_ends_in_silence_or_goes_on,
        importing_again_brings_only_what_is_new,
        a_key_stands_for_one_import_until_it_is_forgotten,
        a_rehearsal_says_what_would_come_and_stores_nothing,
        an_end_before_the_last_word_waits_for_it,
        imports_count_among_what_is_retained,
        wrong_imports_are_refused_whole,
    }
    exchanges {
        a_resent_history_keeps_its_times,
        the_second_ok_a_week_later_has_its_own_time,
        translate_this_is_stamped_on_its_own_turn,
        a_reply_containing_braces_keeps_its_committed_time,
        unknown_history_is_dated_from_now_backwards,
        a_history_may_be_cut_at_the_front,
        an_edited_message_takes_the_place_of_the_old,
        what_the_client_made_of_a_reply_is_the_reply,
        a_reply_cut_at_the_front_is_still_the_reply,
        a_regenerated_reply_takes_the_place_of_the_first,
        the_first_reply_can_be_regenerated,
        of_the_first_replies_the_one_that_is_gone_on_with_stands,
        of_replies_that_were_given_at_once_the_one_that_is_gone_on_with_stands,
        clients_that_send_one_message_may_repeat_themselves,
        the_same_request_again_stores_nothing_twice,
        of_two_replies_the_one_that_began_later_stays,
        a_fork_puts_aside_what_it_leaves,
        another_talk_in_the_same_memory_hides_nothing,
        a_reply_that_never_came_leaves_its_time,
        a_cut_reply_is_kept_and_marked,
        nul_characters_are_left_out_of_what_is_kept,
        what_is_stored_later_is_stored_once_however_far_it_had_come,
        a_reply_that_was_left_is_not_stored_again,
        exchanges_stored_together_are_as_stored_one_by_one,
        a_reply_after_the_next_message_stands_before_it,
        a_generation_prompt_is_no_message,
        a_reply_can_be_begun_or_continued_by_the_client,
        what_was_forgotten_does_not_come_back_with_the_history,
        a_reply_to_what_was_forgotten_meanwhile_is_not_stored,
        times_of_another_system_hold_for_what_it_saw,
        a_history_finds_its_memory,
        examples_sent_with_every_request_put_nothing_aside,
        a_chat_that_is_always_sent_whole_may_begin_with_other_words,
        the_first_reply_can_be_asked_for_again_after_a_pause,
        each_of_two_replies_keeps_its_time_however_often_they_change_places,
        a_clock_set_back_a_little_makes_no_time_run_backwards,
    }
    clock_steps {
        a_clock_that_was_ahead_dates_nothing_later,
        a_clock_that_was_set_back_is_followed_and_told_of,
        a_small_step_back_keeps_the_order_of_creation,
        a_chat_is_dated_by_the_clock_after_it_was_ahead,
        what_was_said_after_a_step_is_found_as_of_then,
        work_of_a_clock_that_was_ahead_is_done,
        a_lease_of_a_clock_that_was_ahead_ends_unless_it_is_renewed,
        jobs_beyond_a_time_are_found_without_planned_ends,
        stuck_jobs_are_freed_where_vaults_can_be_reached,
    }
    histories {
        a_random_client_keeps_its_times,
        the_order_of_requests_makes_no_difference,
        parts_of_a_history_come_together_in_any_order,
    }
    paging {
        pages_of_entries_hang_together,
        a_full_last_page_says_that_it_is_the_last,
        pages_of_conversations_hang_together,
        memories_and_contexts_come_in_pages,
        impossible_pages_are_refused,
    }
    density {
        the_index_counts_as_the_store_does,
    }
    differential {
        every_script_ends_alike,
    }
    facts {
        a_fact_comes_back_as_it_was_put,
        facts_are_found_by_what_they_rest_on,
        facts_are_read_without_their_vectors,
        facts_fade_until_somebody_asks_for_them,
        what_could_not_be_counted_is_counted_later,
        facts_go_one_by_one,
    }
    chapters {
        chapters_come_back_in_order,
        kinds_of_chapters_are_told_apart,
        versions_come_back_newest_first,
        they_go_with_their_memory_and_vault,
        chapters_grow_behind_a_memory_and_regenerate_with_the_same_dates,
        a_late_word_has_its_chapter_written_anew,
        what_is_said_late_leaves_earlier_chapters_alone,
        recall_follows_chapters_as_they_come_and_go,
        forgetting_takes_chapters_and_summaries_along,
        a_model_writes_chapters_by_the_owners_prompt,
        chapters_of_many_entries_are_written_part_by_part,
    }
    foreign_chapters {
        importing_chapters_again_changes_nothing,
        a_dry_run_imports_no_chapters,
        chapters_are_written_for_what_was_said_after_the_imported_ones,
        a_writer_condenses_chapters_and_keeps_a_state_document,
    }
    distill {
        readings_are_a_history_and_the_latest_is_current,
        questions_are_answered_by_the_facts_of_the_moment,
        old_news_that_arrive_late_replace_nothing,
        a_correction_withdraws_what_rested_on_it,
        forgetting_an_entry_forgets_what_rests_on_it_alone,
        a_pinned_fact_stays_pinned_until_it_is_let_go,
        a_model_writes_titles_and_facts,
        what_no_store_can_keep_is_left_out_of_what_a_model_writes,
        a_model_that_misbehaves_does_no_harm,
        false_facts_among_true_ones_are_left_out,
        an_embedder_keeps_nothing_of_facts_that_are_left_out,
    }
    late {
        old_news_never_replace_newer_ones_by_rules,
        old_news_never_replace_newer_ones_by_a_model,
    }
    crash {
        a_process_killed_at_any_step_loses_nothing,
        a_process_killed_at_any_step_with_a_model_loses_and_pays_nothing,
        a_failure_at_any_step_changes_nothing,
        a_failure_at_any_step_with_a_model_changes_nothing,
    }
    outages {
        a_job_that_ends_the_process_each_time_is_set_aside,
        a_job_that_panics_is_one_failed_job,
        a_month_of_outages_delays_work_and_loses_none,
        rules_stand_in_for_a_model_that_is_away,
        chapters_by_rules_are_the_models_once_it_is_back,
        a_summary_by_rules_goes_on_from_the_models_until_it_is_back,
        chapters_by_rules_are_as_many_as_there_are_and_the_model_is_asked_seldom,
    }
    apart {
        jobs_of_vaults_in_reach_are_done_while_others_are_away,
        each_vault_is_asked_by_itself_while_some_are_away,
        a_job_whose_vault_goes_away_waits_for_its_lease,
        indexes_in_reach_are_saved_while_others_are_away,
        grown_indexes_in_reach_are_updated_while_others_are_away,
        answers_in_reach_are_counted_while_others_are_away,
        entries_in_reach_are_embedded_while_others_are_away,
        models_are_asked_while_the_cost_of_all_cannot_be_added_up,
        all_jobs_are_counted_and_tried_again,
        jobs_are_counted_by_why_they_wait,
    }
    naming {
        composed_and_decomposed_names_are_one,
        names_with_invisible_characters_are_refused,
        names_that_exist_already_stay_reachable,
        a_named_vault_is_settled_once,
    }
    tombstones {
        hashes_are_kept_by_owner,
        forgetting_leaves_no_plain_hash,
        a_history_does_not_bring_back_a_forgotten_memory,
        the_same_words_said_again_are_stored,
        a_file_that_is_read_again_brings_back_nothing,
        a_file_that_is_read_again_brings_back_nothing_of_a_renamed_memory,
        what_earlier_versions_kept_of_imports_is_recognised,
        a_file_that_is_read_again_brings_back_nothing_of_a_vault,
        a_forgotten_vault_stays_forgotten,
        what_waited_while_its_memory_was_forgotten_is_not_stored,
        forgotten_periods_are_kept_by_memory,
        what_waited_while_its_period_was_forgotten_is_not_stored,
        what_waited_while_its_conversation_was_forgotten_is_not_stored,
        a_reply_that_waited_while_its_question_was_forgotten_is_not_stored,
    }
    forgotten_lines {
        a_forgotten_message_leaves_no_plain_hash,
        a_history_does_not_bring_back_a_part_of_a_memory,
        a_forgotten_message_far_back_is_recognised,
        of_two_alike_the_one_that_was_not_forgotten_stays,
        a_forgotten_reply_is_recognised_when_it_is_given_again,
        a_forgotten_message_does_not_come_back_in_place_of_its_edit,
        a_part_is_recognised_after_the_whole_was_forgotten,
        what_an_earlier_version_forgot_is_recognised,
        a_part_is_recognised_after_its_vault_was_forgotten,
    }
    forgetting {
        a_forget_at_any_step_of_any_job_leaves_no_trace,
        facts_that_a_model_made_of_several_lines_go_with_each_of_them,
        what_was_replaced_is_forgotten_with_the_rest,
    }
    half_written {
        a_killed_chapters_job_leaves_sound_chapters_that_can_be_forgotten,
    }
    past {
        no_later_write_changes_an_answer,
        density_is_the_same_in_the_index_and_in_the_store,
        a_changed_answer_is_noticed,
        an_import_of_branches_leaves_the_past_alone,
    }
    graph {
        statements_are_facts_with_their_day,
        what_is_removed_is_withdrawn_and_stays_known_of_then,
    }
    faults {
        a_fault_at_any_call_changes_nothing,
        a_job_whose_store_is_away_waits_and_goes_on_by_itself,
        a_worker_that_vanishes_loses_nothing,
        a_lost_answer_is_answered_the_same_way,
    }
}
