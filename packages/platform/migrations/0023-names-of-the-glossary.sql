alter table webhook_deliveries rename column most_attempts to max_attempts;
alter table service_requests rename column rested_at to paused_at;
alter table fault_rules_given rename to buildings_with_default_rules;
alter index faults_going_on rename to active_faults;
