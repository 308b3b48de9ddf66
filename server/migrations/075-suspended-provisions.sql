-- Applications that the operator provisioned for an advisor, and that the advisor then disconnected. If the advisor allows one
-- again, it is provisioned again.
create table suspended_provisions (
  advisor_id bigint not null,
  application_id bigint not null,
  primary key (advisor_id, application_id)
);
grant select, insert, delete on suspended_provisions to assent_app;
